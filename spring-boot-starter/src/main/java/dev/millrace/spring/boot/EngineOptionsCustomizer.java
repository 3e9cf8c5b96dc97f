package dev.millrace.spring.boot;

import dev.millrace.session.EngineOptions;

/** Sets options of the auto-configured engine that have no property. Beans of this type are called in their order. */
@FunctionalInterface
public interface EngineOptionsCustomizer {
    void customize(EngineOptions.Builder options);
}
