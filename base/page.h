/* Sizes of pages of memory on x86-64 (Intel SDM, volume 3, paging): the smallest, and those that come next. */
#ifndef BASE_PAGE_H
#define BASE_PAGE_H

enum { PAGE = 4096, HUGE_PAGE = 1 << 21 /* bytes */ };

#endif
