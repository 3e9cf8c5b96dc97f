/** Texts that pattern operators read: a bound on reads, shared by the providers that have such operators. */
@NullMarked
package dev.millrace.providers.text;

import org.jspecify.annotations.NullMarked;
