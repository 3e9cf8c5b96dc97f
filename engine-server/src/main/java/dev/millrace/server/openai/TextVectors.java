package dev.millrace.server.openai;

import dev.millrace.server.model.TextModel;
import dev.millrace.text.Embedder;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The vectors of texts.
 *
 * @param tokens the tokens of all texts together
 */
record TextVectors(List<float[]> all, int tokens) {
    static Mono<TextVectors> of(OpenAiRequest request, List<String> texts, TextModel model) {
        Embedder embedder = model.embedder(request.model());
        request.timeline().hasRows(texts.size());
        return Mono.fromSupplier(() -> tokens(model, texts))
                .doOnNext(request.timeline()::addPromptTokens)
                .subscribeOn(Schedulers.parallel())
                .flatMap(tokens ->
                        embedder.flux(Flux.fromIterable(texts)).collectList().map(all -> new TextVectors(all, tokens)));
    }

    private static int tokens(TextModel model, List<String> texts) {
        return texts.stream()
                .map(model.tokenizer()::encode)
                .mapToInt(PromptUsage::tokens)
                .sum();
    }
}
