/** Models that split words into the tokens of a vocabulary: byte pair encoding, Unigram, WordPiece, whole words. */
@NullMarked
package dev.millrace.text.vocabulary;

import org.jspecify.annotations.NullMarked;
