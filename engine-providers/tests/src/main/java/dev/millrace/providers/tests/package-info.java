/** The tests that every provider has to pass, as one class that the author of a provider extends. */
@NullMarked
package dev.millrace.providers.tests;

import org.jspecify.annotations.NullMarked;
