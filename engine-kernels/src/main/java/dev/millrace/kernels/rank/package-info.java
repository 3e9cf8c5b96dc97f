/** Along an axis: where the largest or smallest element is, the k best ones, and running sums. */
@NullMarked
package dev.millrace.kernels.rank;

import org.jspecify.annotations.NullMarked;
