package dev.millrace.server.openai;

import dev.millrace.server.rest.HttpProblem;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Failures in OpenAI's form. */
final class OpenAiErrors {
    private OpenAiErrors() {}

    static Object answer(HttpResponseStatus status, String message) {
        return tree(
                message,
                type(status),
                switch (status.code()) {
                    case 401 -> "invalid_api_key";
                    case 404 -> "model_not_found";
                    case 429 -> "rate_limit_exceeded";
                    default -> null;
                });
    }

    /** Returns the failure of a request whose path or method is none of OpenAI's that the server has. */
    static Object stray(HttpResponseStatus status, String message) {
        return tree(message, type(status), null);
    }

    private static String type(HttpResponseStatus status) {
        return status.code() < 500 ? "invalid_request_error" : "server_error";
    }

    /** Returns the event of a stream that fails after its status was sent. */
    static Object inStream(Throwable failure) {
        return tree(HttpProblem.messageOf(failure), type(HttpProblem.logged(failure)), null);
    }

    private static Object tree(String message, String type, @Nullable String code) {
        var error = new LinkedHashMap<String, @Nullable Object>();
        error.put("message", message);
        error.put("type", type);
        error.put("param", null);
        error.put("code", code);
        return Map.of("error", error);
    }
}
