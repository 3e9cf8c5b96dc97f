/** Tests of how words are chosen. */
@NullMarked
package dev.millrace.providers.search;

import org.jspecify.annotations.NullMarked;
