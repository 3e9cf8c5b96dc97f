package dev.millrace.server.openai;

import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.Token;
import dev.millrace.text.ChatDelta;
import dev.millrace.text.ToolCall;
import dev.millrace.text.ToolCallSplitter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One choice of an answer: collects its parts, or tells each of them. Used by one thread at a time. */
abstract sealed class ChoiceForm {
    private final int index;
    final LogProbabilities logprobs;
    private final StringBuilder text = new StringBuilder();
    private final List<Token> tokens = new ArrayList<>();
    private @Nullable Ending ending;

    private ChoiceForm(int index, LogProbabilities logprobs) {
        this.index = index;
        this.logprobs = logprobs;
    }

    /** Collects a part of an answer that is told as a whole. */
    final void add(ChatDelta delta) {
        text.append(delta.text());
        if (logprobs.areTold()) {
            tokens.addAll(delta.tokens());
        }
        ending = delta.ending();
    }

    /** Returns the choice of a whole answer. */
    final Map<String, @Nullable Object> whole() {
        return whole(text.toString(), tokens, ending);
    }

    abstract Map<String, @Nullable Object> whole(String all, List<Token> generated, @Nullable Ending reason);

    /** Returns what a stream begins with. */
    abstract List<Map<String, @Nullable Object>> opening();

    /** Returns what a part of a stream tells. */
    abstract List<Map<String, @Nullable Object>> streamed(ChatDelta delta);

    final Map<String, @Nullable Object> tree(String name, Object value, @Nullable Object probabilities) {
        var choice = new LinkedHashMap<String, @Nullable Object>();
        choice.put("index", index);
        choice.put(name, value);
        choice.put("logprobs", probabilities);
        choice.put("finish_reason", null);
        return choice;
    }

    static @Nullable String reason(@Nullable Ending ending) {
        return switch (ending) {
            case null -> null;
            case STOP_TOKEN, STOPPED, COMPLETE -> "stop";
            case MAX_TOKENS, CONTEXT_FULL -> "length";
        };
    }

    /** A completion of a prompt. */
    static final class OfCompletion extends ChoiceForm {
        /** The number of chars that were told. */
        private int offset;

        OfCompletion(int index, LogProbabilities logprobs) {
            super(index, logprobs);
        }

        @Override
        Map<String, @Nullable Object> whole(String all, List<Token> generated, @Nullable Ending reason) {
            var choice = tree("text", all, logprobs.listed(generated, offset));
            offset += all.length();
            choice.put("finish_reason", reason(reason));
            return choice;
        }

        @Override
        List<Map<String, @Nullable Object>> opening() {
            return List.of();
        }

        @Override
        List<Map<String, @Nullable Object>> streamed(ChatDelta delta) {
            return List.of(whole(delta.text(), delta.tokens(), delta.ending()));
        }
    }

    /** A message of a chat. */
    static final class OfChat extends ChoiceForm {
        private static final String CONTENT = "content";

        private final ChatTools tools;
        private final ToolCallSplitter splitter;

        OfChat(int index, LogProbabilities logprobs, ChatTools tools) {
            super(index, logprobs);
            this.tools = tools;
            this.splitter = tools.splitter();
        }

        @Override
        Map<String, @Nullable Object> whole(String all, List<Token> generated, @Nullable Ending reason) {
            String shown = shown(all, true);
            List<ToolCall> calls = splitter.calls();
            var message = new LinkedHashMap<String, @Nullable Object>();
            message.put("role", "assistant");
            if (calls.isEmpty()) {
                message.put(CONTENT, shown);
            } else {
                message.put(CONTENT, shown.isBlank() ? null : shown.strip());
                message.put("tool_calls", tools.called(calls, false));
            }
            return ended(tree("message", message, logprobs.content(generated)), reason);
        }

        @Override
        List<Map<String, @Nullable Object>> opening() {
            return List.of(tree("delta", Map.of("role", "assistant", CONTENT, ""), null));
        }

        @Override
        List<Map<String, @Nullable Object>> streamed(ChatDelta delta) {
            boolean isLast = delta.ending() != null;
            String shown = shown(delta.text(), isLast);
            Object probabilities = logprobs.content(delta.tokens());
            if (!isLast && shown.isEmpty() && probabilities == null) {
                return List.of();
            }
            Map<String, Object> content = shown.isEmpty() ? Map.of() : Map.of(CONTENT, shown);
            if (splitter.calls().isEmpty()) {
                return List.of(ended(tree("delta", content, probabilities), delta.ending()));
            }
            var told = new ArrayList<Map<String, @Nullable Object>>();
            if (!shown.isEmpty()) {
                told.add(tree("delta", content, null));
            }
            told.add(tree("delta", Map.of("tool_calls", tools.called(splitter.calls(), true)), probabilities));
            told.add(ended(tree("delta", Map.of(), null), delta.ending()));
            return told;
        }

        /** Returns the text of a part that is no call of a tool. */
        private String shown(String part, boolean isLast) {
            if (!tools.areOffered()) {
                return part;
            }
            String begun = splitter.add(part);
            return isLast ? begun + splitter.end() : begun;
        }

        private Map<String, @Nullable Object> ended(Map<String, @Nullable Object> choice, @Nullable Ending ending) {
            choice.put("finish_reason", splitter.calls().isEmpty() ? reason(ending) : "tool_calls");
            return choice;
        }
    }
}
