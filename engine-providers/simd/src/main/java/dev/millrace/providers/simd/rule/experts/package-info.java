/** Mixtures of experts: many small networks, of which a router selects a few for each token. */
@NullMarked
package dev.millrace.providers.simd.rule.experts;

import org.jspecify.annotations.NullMarked;
