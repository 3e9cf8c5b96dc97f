package dev.millrace.langchain4j;

import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.exception.ModelNotFoundException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.millrace.graph.EngineException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/** Errors of the engine as the exceptions of LangChain4j, whose types say whether a request can be tried again. */
final class EngineErrors {
    private EngineErrors() {}

    /** Returns a result, or throws LangChain4j's exception. */
    static <T> T mapped(Supplier<T> result) {
        try {
            return result.get();
        } catch (EngineException e) {
            throw mapped(e);
        }
    }

    /** Returns the future of a result, whose cancellation cancels the result. */
    static <T> CompletableFuture<T> future(Mono<T> result) {
        var future = new CompletableFuture<T>();
        Disposable running =
                result.onErrorMap(EngineErrors::mapped).subscribe(future::complete, future::completeExceptionally);
        future.whenComplete((_, _) -> running.dispose());
        return future;
    }

    static Throwable mapped(Throwable error) {
        Throwable cause = Exceptions.unwrap(error);
        return cause instanceof EngineException known ? mapped(known) : cause;
    }

    private static LangChain4jException mapped(EngineException error) {
        String message =
                Objects.requireNonNullElse(error.getMessage(), error.status().name());
        return switch (error.status()) {
            case INVALID_ARGUMENT -> new InvalidRequestException(message, error);
            case NOT_IMPLEMENTED -> {
                var made = new UnsupportedFeatureException(message);
                made.initCause(error);
                yield made;
            }
            case NOT_FOUND -> new ModelNotFoundException(message, error);
            case OVERLOADED -> new RateLimitException(message, error);
            case DEADLINE_EXCEEDED -> new TimeoutException(message, error);
            case EP_FAIL, FAIL -> new InternalServerException(message, error);
            default -> new LangChain4jException(message, error);
        };
    }
}
