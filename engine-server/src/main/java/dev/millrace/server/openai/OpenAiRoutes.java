package dev.millrace.server.openai;

import dev.millrace.server.access.Permissions;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.TextModel;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.server.rest.HttpCall;
import dev.millrace.server.rest.HttpRouter;
import io.netty.handler.codec.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The routes of OpenAI's endpoints. The names of models are those of the repository. */
public final class OpenAiRoutes {
    private final ModelRepository repository;

    public OpenAiRoutes(ModelRepository repository) {
        this.repository = repository;
    }

    public void addTo(HttpRouter router) {
        router.strayErrors("v1", OpenAiErrors::stray);
        router.route(
                HttpMethod.GET,
                "v1/models",
                call -> Mono.fromSupplier(() -> models(call.permissions())),
                OpenAiErrors::answer);
        router.route(HttpMethod.GET, "v1/models/*", call -> Mono.fromSupplier(() -> model(call)), OpenAiErrors::answer);
        var embeddings = new EmbeddingAnswers();
        var ranks = new RerankAnswers();
        var generations = new GenerationAnswers();
        post(router, "v1/embeddings", request -> onText(request, embeddings::embeddings));
        post(router, "v1/rerank", request -> onText(request, ranks::rerank));
        post(router, "v1/completions", request -> onText(request, generations::completion));
        post(router, "v1/chat/completions", request -> onText(request, generations::chat));
    }

    private static void post(HttpRouter router, String path, Function<OpenAiRequest, Mono<HttpAnswer>> handler) {
        router.route(
                HttpMethod.POST,
                path,
                (HttpCall call) -> call.json().flatMap(body -> {
                    var request = new OpenAiRequest(body, call.timeline());
                    call.timeline().asksFor(request.model());
                    call.permissions().requireInfer(request.model());
                    return handler.apply(request);
                }),
                OpenAiErrors::answer);
    }

    /** An answer that reads a model of texts. */
    @FunctionalInterface
    interface TextAnswer {
        /** Answers; {@code release} is called once the model is not needed any more. */
        Mono<HttpAnswer> answer(OpenAiRequest request, TextModel model, Runnable release);
    }

    private Mono<HttpAnswer> onText(OpenAiRequest request, TextAnswer answer) {
        LoadedVersion version = repository.acquire(request.model(), "");
        Runnable release = version.releasing();
        try {
            TextModel text = version.requireText();
            request.timeline().understood(version.name(), version.version());
            return answer.answer(request, text, release);
        } catch (RuntimeException e) {
            release.run();
            throw e;
        }
    }

    private HttpAnswer models(Permissions permissions) {
        List<Object> models = repository.loaded().stream()
                .map(LoadedVersion::name)
                .filter(permissions::maySee)
                .distinct()
                .<Object>map(OpenAiRoutes::described)
                .toList();
        return HttpAnswer.json(Map.of("object", "list", "data", models));
    }

    private HttpAnswer model(HttpCall call) {
        String name = call.variable(0);
        call.permissions().requireSee(name);
        repository.acquire(name, "").release();
        return HttpAnswer.json(described(name));
    }

    private static Map<String, Object> described(String name) {
        var model = new LinkedHashMap<String, Object>();
        model.put("id", name);
        model.put("object", "model");
        model.put("created", 0);
        model.put("owned_by", "millrace");
        return model;
    }
}
