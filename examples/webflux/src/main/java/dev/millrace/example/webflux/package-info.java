/// A service that streams embeddings, with Spring WebFlux.
@NullMarked
package dev.millrace.example.webflux;

import org.jspecify.annotations.NullMarked;
