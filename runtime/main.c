/* The program pyelf-vanilla: nothing but a reference to the `main` of
 * libpyelfrun.so.0, as the executables of a set have one. */
int main(int argc, char **argv);
