package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import io.netty.handler.codec.http.HttpResponseStatus;

/**
 * The limits of a body.
 *
 * @param most the most bytes that it may have
 * @param memory the bytes that it takes of what all bodies may take
 */
record BodyLimit(long most, BodyMemory memory) {
    /** Reserves the memory of a part, or throws if the body with it is too large. */
    void check(long before, long part) {
        if (before + part > most) {
            throw tooLarge();
        }
        if (!memory.reserve(part)) {
            throw new EngineException(
                    Status.BUDGET_EXCEEDED, "the bodies of all requests take the memory that there is");
        }
    }

    HttpProblem tooLarge() {
        return new HttpProblem(
                HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
                "the body has more than " + most + " bytes, the server's limit");
    }
}
