/// A service with embeddings, ranked passages and chats, with Spring AI.
@NullMarked
package dev.millrace.example.spring;

import org.jspecify.annotations.NullMarked;
