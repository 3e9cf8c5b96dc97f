/** The choice of words by their scores: the processing of scores that search operators and text generation share. */
@NullMarked
package dev.millrace.providers.search;

import org.jspecify.annotations.NullMarked;
