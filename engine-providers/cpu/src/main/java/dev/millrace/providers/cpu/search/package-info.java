/** Searching for what a language model says. */
@NullMarked
package dev.millrace.providers.cpu.search;

import org.jspecify.annotations.NullMarked;
