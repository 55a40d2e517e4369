/* The program pyelf-vanilla. It is only a reference to the `main` of libpyelfrun.so.0, as in the executables of a set.
 */
int main(int argc, char **argv);
