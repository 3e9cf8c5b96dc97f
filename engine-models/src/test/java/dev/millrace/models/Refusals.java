package dev.millrace.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions about calls that fail. */
final class Refusals {
    private Refusals() {}

    static void assertFails(Status status, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContaining(message);
    }
}
