/* along.h - functions of the n stored values of a fiber, in the order of their coordinates. */
void softmax(int n, const double *in, double *out, double one);
void sort_ascending(int n, const double *in, double *out);
void sort_descending(int n, const double *in, double *out);
void largest(int n, int k, double sign, const double *in, double *out);
void prefix_sum(int n, const double *in, double *out);
void prefix_max(int n, const double *in, double *out);
void reverse(int n, const double *in, double *out);
void place_of_largest(int n, const int *crd, int first, double sign, const double *in, double *out);
void normalise(int n, const double *in, double *out, double one);
