package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.server.model.SamplingParameters;
import dev.millrace.server.model.TextModel;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.TokenConstraint;
import dev.millrace.text.ChatDelta;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.ChatMessage;
import dev.millrace.text.LanguageModel;
import dev.millrace.text.TextGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Completions of prompts and answers of chats, at once or as streams. */
final class GenerationAnswers {
    private static final int USUAL_COMPLETION = 16;
    private static final int MOST_CHOICES = 128;
    /** The number of choices of one request that are generated at the same time. */
    private static final int AT_ONCE = 8;

    Mono<HttpAnswer> completion(OpenAiRequest request, TextModel text, Runnable release) {
        LanguageModel model = text.languageModel(request.model());
        request.refuse("echo", false, "prompts are not repeated");
        request.refuse("suffix", "", "texts are not inserted");
        List<String> prompts = request.texts("prompt", model.tokenizer());
        int each = choices(request, prompts.size());
        request.refuse("best_of", (long) each, "all completions are told; it is as large as 'n'");
        var parameters = new SamplingParameters(request.values());
        var logprobs = LogProbabilities.ofCompletion(request, model.tokenizer());
        GenerationOptions defaults =
                model.defaults().toBuilder().maxTokens(USUAL_COMPLETION).build();
        GenerationOptions options = logprobs.in(parameters.options(defaults));
        TextGenerator generator = model.generator().stoppingAt(parameters.stops());
        var choices = new ArrayList<Choice>();
        for (String prompt : prompts) {
            for (int i = 0; i < each; i++) {
                GenerationOptions own = seeded(options, i);
                choices.add(Choice.of(
                        request,
                        new ChoiceForm.OfCompletion(choices.size(), logprobs),
                        i == 0,
                        () -> generator.deltas(prompt, own)));
            }
        }
        return answer(request, AnswerHead.ofCompletion(request.model()), choices, release);
    }

    Mono<HttpAnswer> chat(OpenAiRequest request, TextModel text, Runnable release) {
        LanguageModel model = text.languageModel(request.model());
        request.refuse("functions", List.of(), "use 'tools'");
        request.refuse("function_call", "none", "use 'tool_choice'");
        request.refuse("audio", "", "answers are texts");
        List<ChatMessage> messages = ChatBody.messages(request);
        int count = choices(request, 1);
        var tools = ChatTools.of(request);
        var parameters = new SamplingParameters(request.values());
        var logprobs = LogProbabilities.ofChat(request, model.tokenizer());
        GenerationOptions sampled = logprobs.in(parameters.options(model.defaults()));
        TokenConstraint constraint = constraint(request, tools, model);
        GenerationOptions options = constraint == null
                ? sampled
                : sampled.toBuilder().constraint(constraint).build();
        ChatGenerator chats = tools.shownTo(model.chats()).stoppingAt(parameters.stops());
        var choices = new ArrayList<Choice>();
        for (int i = 0; i < count; i++) {
            GenerationOptions own = seeded(options, i);
            choices.add(Choice.of(
                    request, new ChoiceForm.OfChat(i, logprobs, tools), i == 0, () -> chats.flux(messages, own)));
        }
        return answer(request, AnswerHead.ofChat(request.model()), choices, release);
    }

    private static @Nullable TokenConstraint constraint(OpenAiRequest request, ChatTools tools, LanguageModel model) {
        TokenConstraint format = ChatBody.constraint(request, model.tokenizer());
        TokenConstraint call = tools.constraint(model.tokenizer());
        if (format != null && call != null) {
            throw EngineException.invalidArgument(
                    "'tool_choice' asks for the call of a tool, and 'response_format' for another answer");
        }
        return format == null ? call : format;
    }

    /** Returns the number of answers to each prompt. */
    private static int choices(OpenAiRequest request, int prompts) {
        int each = request.count("n", 1);
        if ((long) each * prompts > MOST_CHOICES) {
            throw EngineException.invalidArgument("the request asks for " + (long) each * prompts + " answers; up to "
                    + MOST_CHOICES + " are generated");
        }
        return each;
    }

    /** Returns options that draw other tokens for each answer to a prompt. */
    private static GenerationOptions seeded(GenerationOptions options, int index) {
        Long seed = options.seed();
        return seed == null || index == 0
                ? options
                : options.toBuilder().seed(seed + index).build();
    }

    /**
     * One of the texts that a request asks for.
     *
     * @param isFirst whether it is the first of its prompt, whose tokens count once
     * @param begin renders and encodes the prompt, and returns the parts that are generated
     */
    private record Choice(ChoiceForm form, boolean isFirst, Supplier<Flux<ChatDelta>> begin) {
        static Choice of(OpenAiRequest request, ChoiceForm form, boolean isFirst, Supplier<Flux<ChatDelta>> begin) {
            return new Choice(form, isFirst, () -> request.timeline().generated(begin.get(), isFirst));
        }

        /** Returns the choice with its prompt encoded. */
        Choice begun() {
            Flux<ChatDelta> deltas = begin.get();
            return new Choice(form, isFirst, () -> deltas);
        }

        /** Generates on a thread of its own. */
        <T> Flux<T> parts(Function<ChatDelta, List<T>> told, UsageSum usage) {
            return begin.get().subscribeOn(Schedulers.parallel()).concatMapIterable(delta -> {
                if (delta.ending() != null) {
                    usage.add(delta.usage(), isFirst);
                }
                return told.apply(delta);
            });
        }
    }

    private static Mono<HttpAnswer> answer(
            OpenAiRequest request, AnswerHead head, List<Choice> choices, Runnable release) {
        // away from the thread of the connection, and before a stream has a status
        Mono<List<Choice>> begun = Mono.fromSupplier(
                        () -> choices.stream().map(Choice::begun).toList())
                .subscribeOn(Schedulers.parallel());
        if (request.flag("stream")) {
            return begun.map(all -> HttpAnswer.events(stream(head, all, request.includesUsage()), release))
                    .doOnError(_ -> release.run())
                    .doOnCancel(release);
        }
        var usage = new UsageSum();
        return begun.flatMapIterable(all -> all)
                .flatMap(
                        choice -> choice.parts(
                                delta -> {
                                    choice.form.add(delta);
                                    return List.of();
                                },
                                usage),
                        AT_ONCE)
                .then(Mono.fromSupplier(() -> {
                    var tree = head.whole(
                            choices.stream().map(choice -> choice.form.whole()).toList());
                    tree.put("usage", usage.tree());
                    return HttpAnswer.json(tree);
                }))
                .doFinally(_ -> release.run());
    }

    private static Flux<Object> stream(AnswerHead head, List<Choice> choices, boolean withUsage) {
        var usage = new UsageSum();
        Flux<Object> parts = Flux.fromIterable(choices)
                .flatMap(
                        choice -> Flux.fromIterable(choice.form.opening())
                                .concatWith(choice.parts(choice.form::streamed, usage)),
                        AT_ONCE)
                .map(choice -> {
                    var chunk = head.chunk(List.of(choice));
                    if (withUsage) {
                        chunk.put("usage", null);
                    }
                    return chunk;
                });
        Flux<Object> last = Flux.defer(() -> {
            var tree = head.chunk(List.of());
            tree.put("usage", usage.tree());
            return Flux.just(tree);
        });
        return parts.concatWith(withUsage ? last : Flux.empty())
                .onErrorResume(failure -> Flux.just(OpenAiErrors.inStream(failure)))
                .concatWithValues("[DONE]");
    }
}
