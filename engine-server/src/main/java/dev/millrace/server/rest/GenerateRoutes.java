package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.SamplingParameters;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.text.ChatDelta;
import dev.millrace.text.LanguageModel;
import dev.millrace.text.TextGenerator;
import io.netty.handler.codec.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The routes of the generate extension: a text in, a text out, at once or as a stream. A model of tensors takes its inputs by their names, and
 * answers once.
 */
public final class GenerateRoutes {
    private static final String INPUT = "text_input";
    private static final String OUTPUT = "text_output";

    private final ModelRepository repository;

    public GenerateRoutes(ModelRepository repository) {
        this.repository = repository;
    }

    public void addTo(HttpRouter router) {
        for (String model : List.of("v2/models/*", "v2/models/*/versions/*")) {
            router.route(
                    HttpMethod.POST, model + "/generate", call -> call.json().flatMap(body -> whole(call, body)));
            router.route(
                    HttpMethod.POST,
                    model + "/generate_stream",
                    call -> call.json().flatMap(body -> stream(call, body)));
        }
    }

    private Mono<HttpAnswer> whole(HttpCall call, Map<String, @Nullable Object> body) {
        LoadedVersion version = acquire(call);
        if (version.model().text() == null) {
            return mapped(version, body).map(json -> HttpAnswer.text("application/json", json));
        }
        Runnable release = version.releasing();
        return begin(call, version, body)
                .flatMap(parts -> parts.map(ChatDelta::text).collect(Collectors.joining()))
                .map(text -> HttpAnswer.json(answer(version, text)))
                .doFinally(_ -> release.run());
    }

    private Mono<HttpAnswer> stream(HttpCall call, Map<String, @Nullable Object> body) {
        LoadedVersion version = acquire(call);
        if (version.model().text() == null) {
            return mapped(version, body).map(json -> HttpAnswer.events(Flux.just(json), () -> {}));
        }
        Runnable release = version.releasing();
        return begin(call, version, body)
                .map(parts -> HttpAnswer.events(
                        parts.map(ChatDelta::text)
                                .filter(text -> !text.isEmpty())
                                .map(text -> answer(version, text))
                                .onErrorResume(failure -> Mono.just(failed(failure))),
                        release))
                .doOnError(_ -> release.run())
                .doOnCancel(release);
    }

    private static Map<String, Object> answer(LoadedVersion version, String text) {
        var answer = new LinkedHashMap<String, Object>();
        answer.put("model_name", version.name());
        answer.put("model_version", version.version());
        answer.put(OUTPUT, text);
        return answer;
    }

    private static Map<String, Object> failed(Throwable failure) {
        HttpProblem.logged(failure);
        return Map.of("error", HttpProblem.messageOf(failure));
    }

    /** Returns the version that a request asks for, with a share in it. */
    private LoadedVersion acquire(HttpCall call) {
        LoadedVersion version = repository.acquire(call.variable(0), call.variable(1));
        call.timeline().understood(version.name(), version.version());
        return version;
    }

    private static Mono<String> mapped(LoadedVersion version, Map<String, @Nullable Object> body) {
        try {
            return MappedGeneration.answer(version, body, parameters(body));
        } catch (RuntimeException e) {
            version.release();
            throw e;
        }
    }

    /** Reads a request to a model of texts, and encodes its prompt, away from the thread of the connection. */
    private static Mono<Flux<ChatDelta>> begin(
            HttpCall call, LoadedVersion version, Map<String, @Nullable Object> body) {
        return Mono.fromSupplier(() -> parts(call, version, body)).subscribeOn(Schedulers.parallel());
    }

    private static Flux<ChatDelta> parts(HttpCall call, LoadedVersion version, Map<String, @Nullable Object> body) {
        LanguageModel model = version.requireText().languageModel(version.name());
        if (!(body.get(INPUT) instanceof String prompt)) {
            throw EngineException.invalidArgument("a request to generate has the text '" + INPUT + "'");
        }
        var parameters = new SamplingParameters(parameters(body));
        TextGenerator generator = model.generator().stoppingAt(parameters.stops());
        return call.timeline().generated(generator.deltas(prompt, parameters.options(model.defaults())), true);
    }

    /** Returns the parameters, which stand beside the text or in an object of their own. */
    private static Map<String, @Nullable Object> parameters(Map<String, @Nullable Object> body) {
        var all = new LinkedHashMap<String, @Nullable Object>(body);
        if (body.get("parameters") instanceof Map<?, ?> own) {
            own.forEach((name, value) -> all.put(String.valueOf(name), value));
        }
        return all;
    }
}
