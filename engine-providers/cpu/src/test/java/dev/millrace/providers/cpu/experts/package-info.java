/** Tests of mixtures of experts. */
@NullMarked
package dev.millrace.providers.cpu.experts;

import org.jspecify.annotations.NullMarked;
