/** Tests of matrix products. */
@NullMarked
package dev.millrace.providers.cpu.product;

import org.jspecify.annotations.NullMarked;
