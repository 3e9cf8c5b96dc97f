/** Tests of the image kernels. */
@NullMarked
package dev.millrace.providers.cpu.image;

import org.jspecify.annotations.NullMarked;
