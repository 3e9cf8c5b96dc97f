/** The engine in Spring Boot: auto-configuration, sessions by properties, health, meters, an endpoint. */
@NullMarked
package dev.millrace.spring.boot;

import org.jspecify.annotations.NullMarked;
