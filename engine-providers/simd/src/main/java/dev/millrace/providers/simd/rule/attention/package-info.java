/** Rules of attention: scores, biases, caches, rotary embeddings. */
@NullMarked
package dev.millrace.providers.simd.rule.attention;

import org.jspecify.annotations.NullMarked;
