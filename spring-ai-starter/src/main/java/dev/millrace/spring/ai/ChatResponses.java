package dev.millrace.spring.ai;

import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.TokenUsage;
import dev.millrace.text.ChatDelta;
import dev.millrace.text.Completion;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.AssistantMessage.ToolCall;
import org.springframework.ai.chat.metadata.ChatGenerationMetadata;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;

/**
 * Answers of the engine as Spring AI has them.
 *
 * @param model the name of the model in responses
 * @param hasTools whether an answer may call tools
 */
record ChatResponses(@Nullable String model, boolean hasTools) {
    private static final String CALLS = "TOOL_CALLS";

    /** Returns a whole answer: a text, or calls of tools. */
    ChatResponse whole(Completion answer) {
        List<ToolCall> calls = hasTools ? Tools.callsIn(answer.text()) : List.of();
        AssistantMessage message = AssistantMessage.builder()
                .content(calls.isEmpty() ? answer.text() : "")
                .toolCalls(calls)
                .build();
        return response(message, calls.isEmpty() ? reason(answer.ending()) : CALLS, answer.usage());
    }

    /** Returns a part of an answer. The last one says why the answer ended, and has the usage. */
    ChatResponse part(ChatDelta delta) {
        Ending ending = delta.ending();
        return response(
                new AssistantMessage(delta.text()),
                ending == null ? null : reason(ending),
                ending == null ? null : delta.usage());
    }

    private ChatResponse response(AssistantMessage message, @Nullable String reason, @Nullable TokenUsage usage) {
        var end = ChatGenerationMetadata.builder();
        if (reason != null) {
            end.finishReason(reason);
        }
        ChatResponseMetadata.Builder metadata = ChatResponseMetadata.builder();
        if (model != null) {
            metadata.model(model);
        }
        if (usage != null) {
            int all = usage.prompt() + usage.generated();
            metadata.usage(new DefaultUsage(usage.prompt(), usage.generated(), all, null, (long) usage.cached(), null));
        }
        return new ChatResponse(List.of(new Generation(message, end.build())), metadata.build());
    }

    private static String reason(Ending ending) {
        return switch (ending) {
            case STOP_TOKEN, COMPLETE, STOPPED -> "STOP";
            case MAX_TOKENS, CONTEXT_FULL -> "LENGTH";
        };
    }
}
