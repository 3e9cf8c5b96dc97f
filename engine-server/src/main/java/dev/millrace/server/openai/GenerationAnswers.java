package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.server.model.SamplingParameters;
import dev.millrace.server.model.TextModel;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.TokenUsage;
import dev.millrace.text.ChatDelta;
import dev.millrace.text.LanguageModel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Completions of prompts and answers of chats, at once or as streams. */
final class GenerationAnswers {
    private static final int USUAL_COMPLETION = 16;

    /** The form of an answer: a completion of a prompt, or a message of a chat. */
    private enum Form {
        COMPLETION("cmpl-", "text_completion", "text_completion"),
        CHAT("chatcmpl-", "chat.completion", "chat.completion.chunk");

        private final String prefix;
        private final String whole;
        private final String chunk;

        Form(String prefix, String whole, String chunk) {
            this.prefix = prefix;
            this.whole = whole;
            this.chunk = chunk;
        }

        Map<String, @Nullable Object> choice(String text, @Nullable Ending ending, boolean streamed) {
            var choice = new LinkedHashMap<String, @Nullable Object>();
            choice.put("index", 0);
            if (this == COMPLETION) {
                choice.put("text", text);
            } else if (streamed) {
                choice.put("delta", text.isEmpty() ? Map.of() : Map.of("content", text));
            } else {
                choice.put("message", Map.of("role", "assistant", "content", text));
            }
            choice.put("logprobs", null);
            choice.put("finish_reason", ending == null ? null : reason(ending));
            return choice;
        }
    }

    /** The beginning of every part of one answer. */
    private record Head(Form form, String id, long created, String model) {
        Map<String, @Nullable Object> with(String object, List<?> choices) {
            var tree = new LinkedHashMap<String, @Nullable Object>();
            tree.put("id", id);
            tree.put("object", object);
            tree.put("created", created);
            tree.put("model", model);
            tree.put("choices", choices);
            return tree;
        }
    }

    Mono<HttpAnswer> completion(OpenAiRequest request, TextModel text, Runnable release) {
        LanguageModel model = text.languageModel(request.model());
        refuseForAll(request);
        request.refuse("echo", false, "prompts are not repeated");
        request.refuse("best_of", 1L, "one completion is made");
        request.refuse("suffix", "", "texts are not inserted");
        List<String> prompts = request.texts("prompt");
        if (prompts.size() > 1) {
            throw EngineException.invalidArgument("'prompt' is one text; send a request for each");
        }
        var parameters = new SamplingParameters(request.values());
        GenerationOptions options = parameters.options(
                model.defaults().toBuilder().maxTokens(USUAL_COMPLETION).build());
        return answer(
                request,
                Form.COMPLETION,
                () -> model.generator().stoppingAt(parameters.stops()).deltas(prompts.getFirst(), options),
                release);
    }

    Mono<HttpAnswer> chat(OpenAiRequest request, TextModel text, Runnable release) {
        LanguageModel model = text.languageModel(request.model());
        refuseForAll(request);
        request.refuse("tools", List.of(), "tools are not supported yet");
        request.refuse("functions", List.of(), "functions are not supported yet");
        request.refuse("tool_choice", "none", "tools are not supported yet");
        request.refuse("logprobs", false, "the probabilities of tokens are not told yet");
        request.refuse("audio", "", "answers are texts");
        var messages = ChatBody.messages(request);
        var parameters = new SamplingParameters(request.values());
        var options = parameters.options(model.defaults()).toBuilder();
        var constraint = ChatBody.constraint(request, model.tokenizer());
        if (constraint != null) {
            options.constraint(constraint);
        }
        GenerationOptions built = options.build();
        return answer(
                request,
                Form.CHAT,
                () -> model.chats().stoppingAt(parameters.stops()).flux(messages, built),
                release);
    }

    private static void refuseForAll(OpenAiRequest request) {
        request.refuse("n", 1L, "one answer is made; send a request for each");
        request.refuse("logit_bias", Map.of(), "it is not supported yet");
        if (!(request.values().get("logprobs") instanceof Boolean)) {
            request.refuse("logprobs", 0L, "the probabilities of tokens are not told yet");
        }
    }

    private static Mono<HttpAnswer> answer(
            OpenAiRequest request,
            Form form,
            java.util.function.Supplier<Flux<ChatDelta>> generation,
            Runnable release) {
        var head = new Head(form, form.prefix + UUID.randomUUID(), Instant.now().getEpochSecond(), request.model());
        // prompts are rendered and encoded before the first token, which is not work for a connection's thread
        Flux<ChatDelta> deltas =
                Flux.defer(generation).subscribeOn(Schedulers.parallel()).doFinally(_ -> release.run());
        if (request.flag("stream")) {
            return Mono.just(HttpAnswer.events(stream(head, deltas, request.includesUsage())));
        }
        return deltas.collectList().map(all -> whole(head, all));
    }

    private static HttpAnswer whole(Head head, List<ChatDelta> deltas) {
        var text = new StringBuilder();
        deltas.forEach(each -> text.append(each.text()));
        ChatDelta last = deltas.getLast();
        var tree = head.with(head.form.whole, List.of(head.form.choice(text.toString(), last.ending(), false)));
        tree.put("usage", usage(last.usage()));
        return HttpAnswer.json(tree);
    }

    private static Flux<Object> stream(Head head, Flux<ChatDelta> deltas, boolean withUsage) {
        Flux<Object> parts = deltas.concatMapIterable(delta -> {
            var events = new ArrayList<Object>();
            events.add(head.with(head.form.chunk, List.of(head.form.choice(delta.text(), delta.ending(), true))));
            if (delta.ending() != null && withUsage) {
                var usage = head.with(head.form.chunk, List.of());
                usage.put("usage", usage(delta.usage()));
                events.add(usage);
            }
            return events;
        });
        Flux<Object> first =
                head.form == Form.CHAT ? Flux.just(head.with(head.form.chunk, List.of(opening()))) : Flux.empty();
        return first.concatWith(parts)
                .onErrorResume(failure -> Flux.just(Map.of(
                        "error", Map.of("message", String.valueOf(failure.getMessage()), "type", "server_error"))))
                .concatWithValues("[DONE]");
    }

    /** The first choice of a streamed chat, which says whose message it is. */
    private static Map<String, @Nullable Object> opening() {
        var choice = new LinkedHashMap<String, @Nullable Object>();
        choice.put("index", 0);
        choice.put("delta", Map.of("role", "assistant", "content", ""));
        choice.put("finish_reason", null);
        return choice;
    }

    private static String reason(Ending ending) {
        return switch (ending) {
            case STOP_TOKEN, STOPPED, COMPLETE -> "stop";
            case MAX_TOKENS, CONTEXT_FULL -> "length";
        };
    }

    private static Map<String, Object> usage(TokenUsage usage) {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("prompt_tokens", usage.prompt());
        tree.put("completion_tokens", usage.generated());
        tree.put("total_tokens", usage.prompt() + usage.generated());
        tree.put("prompt_tokens_details", Map.of("cached_tokens", usage.cached()));
        return tree;
    }
}
