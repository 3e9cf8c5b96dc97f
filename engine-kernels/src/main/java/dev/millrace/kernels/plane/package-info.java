/** Windows over plain images of few channels, in fp32: lanes lie along rows there, not along channels. */
@NullMarked
package dev.millrace.kernels.plane;

import org.jspecify.annotations.NullMarked;
