/** Attention operators, with their biases, caches and rotary embeddings. */
@NullMarked
package dev.millrace.providers.cpu.attention;

import org.jspecify.annotations.NullMarked;
