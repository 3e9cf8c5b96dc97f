/** What the machine can do at most: loops that do nothing useful as quickly as possible. */
@NullMarked
package dev.millrace.kernels.peak;

import org.jspecify.annotations.NullMarked;
