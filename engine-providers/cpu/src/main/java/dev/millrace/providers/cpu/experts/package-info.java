/** Mixtures of experts: many small networks, of which a router selects a few for each token. */
@NullMarked
package dev.millrace.providers.cpu.experts;

import org.jspecify.annotations.NullMarked;
