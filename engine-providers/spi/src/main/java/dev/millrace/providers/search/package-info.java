/** How words are chosen by their scores: what operators that search and generation of text have in common. */
@NullMarked
package dev.millrace.providers.search;

import org.jspecify.annotations.NullMarked;
