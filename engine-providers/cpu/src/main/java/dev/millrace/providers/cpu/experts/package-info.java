/** Mixtures of experts: many small networks, of which each token goes through a few. */
@NullMarked
package dev.millrace.providers.cpu.experts;

import org.jspecify.annotations.NullMarked;
