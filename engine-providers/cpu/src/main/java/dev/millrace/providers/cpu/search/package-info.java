/** Text generation by nested graphs: beam search, greedy search and sampling. */
@NullMarked
package dev.millrace.providers.cpu.search;

import org.jspecify.annotations.NullMarked;
