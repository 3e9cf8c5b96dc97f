/** Tests of text generation by nested graphs. */
@NullMarked
package dev.millrace.providers.cpu.search;

import org.jspecify.annotations.NullMarked;
