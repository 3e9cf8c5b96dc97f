package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Token;
import dev.millrace.session.generate.TokenLikelihood;
import dev.millrace.text.Tokenizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The log probabilities of generated tokens, as an answer tells them.
 *
 * @param most the number of likely tokens that are told beside each token; below 0, nothing is told
 */
record LogProbabilities(int most, Tokenizer tokenizer) {
    private static final int UNTOLD = -1;
    private static final int MOST_OF_COMPLETION = 5;
    private static final int MOST_OF_CHAT = 20;
    private static final String LOGPROBS = "logprobs";

    /** Reads {@code logprobs}, a number. */
    static LogProbabilities ofCompletion(OpenAiRequest request, Tokenizer tokenizer) {
        return new LogProbabilities(number(request, LOGPROBS, MOST_OF_COMPLETION, UNTOLD), tokenizer);
    }

    /** Reads {@code logprobs}, true or false, and {@code top_logprobs}. */
    static LogProbabilities ofChat(OpenAiRequest request, Tokenizer tokenizer) {
        boolean areTold = request.flag(LOGPROBS);
        int most = number(request, "top_logprobs", MOST_OF_CHAT, 0);
        if (most > 0 && !areTold) {
            throw EngineException.invalidArgument("'top_logprobs' goes together with 'logprobs': true");
        }
        return new LogProbabilities(areTold ? most : UNTOLD, tokenizer);
    }

    private static int number(OpenAiRequest request, String name, int largest, int otherwise) {
        return switch (request.values().get(name)) {
            case null -> otherwise;
            case Long number when number >= 0 && number <= largest -> number.intValue();
            default -> throw EngineException.invalidArgument("'" + name + "' is a whole number from 0 to " + largest);
        };
    }

    boolean areTold() {
        return most >= 0;
    }

    /** Returns options of a generation that has what is told. */
    GenerationOptions in(GenerationOptions options) {
        return areTold() ? options.toBuilder().logprobs(most).build() : options;
    }

    /** Returns the probabilities of a part of a chat's answer; null if nothing is told. */
    @Nullable
    Object content(List<Token> tokens) {
        if (!areTold() || tokens.isEmpty()) {
            return null;
        }
        var all = new ArrayList<Object>();
        for (Token token : tokens) {
            TokenLikelihood likelihood = Objects.requireNonNull(token.likelihood());
            Map<String, Object> tree = tree(token.id(), likelihood.logprob());
            tree.put(
                    "top_logprobs",
                    likelihood.best().stream()
                            .map(each -> tree(each.id(), each.logprob()))
                            .toList());
            all.add(tree);
        }
        var content = new LinkedHashMap<String, @Nullable Object>();
        content.put("content", all);
        content.put("refusal", null);
        return content;
    }

    private Map<String, Object> tree(long id, double logprob) {
        byte[] bytes = tokenizer.bytes(id);
        var list = new ArrayList<Integer>(bytes.length);
        for (byte each : bytes) {
            list.add(each & 0xff);
        }
        var tree = new LinkedHashMap<String, Object>();
        tree.put("token", tokenizer.decodeAll(id));
        tree.put("logprob", logprob);
        tree.put("bytes", list);
        return tree;
    }

    /**
     * Returns the probabilities of a part of a completion; null if nothing is told.
     *
     * @param offset the number of chars of the parts before
     */
    @Nullable
    Object listed(List<Token> tokens, int offset) {
        if (!areTold()) {
            return null;
        }
        var texts = new ArrayList<String>();
        var own = new ArrayList<Double>();
        var best = new ArrayList<Map<String, Double>>();
        var offsets = new ArrayList<Integer>();
        int at = offset;
        for (Token token : tokens) {
            TokenLikelihood likelihood = Objects.requireNonNull(token.likelihood());
            String text = tokenizer.decodeAll(token.id());
            texts.add(text);
            own.add(likelihood.logprob());
            offsets.add(at);
            at += text.length();
            var likely = new LinkedHashMap<String, Double>();
            likelihood.best().forEach(each -> likely.put(tokenizer.decodeAll(each.id()), each.logprob()));
            best.add(likely);
        }
        var tree = new LinkedHashMap<String, Object>();
        tree.put("tokens", texts);
        tree.put("token_logprobs", own);
        tree.put("top_logprobs", best);
        tree.put("text_offset", offsets);
        return tree;
    }
}
