package dev.millrace.spring.ai;

import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatMessage;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.content.MediaContent;

/** Messages and options of Spring AI as the engine has them. */
final class ChatRequests {
    private ChatRequests() {}

    static List<ChatMessage> messages(List<Message> messages) {
        return messages.stream().flatMap(ChatRequests::message).toList();
    }

    private static Stream<ChatMessage> message(Message message) {
        if (message instanceof MediaContent media && !media.getMedia().isEmpty()) {
            throw new UnsupportedOperationException("This model reads texts alone; the message of role "
                    + message.getMessageType().getValue() + " has media");
        }
        return switch (message) {
            case ToolResponseMessage answers ->
                answers.getResponses().stream()
                        .map(answer -> ChatMessage.tool(answer.id(), answer.responseData()).toBuilder()
                                .name(answer.name())
                                .build());
            case AssistantMessage answer
            when answer.hasToolCalls() ->
                Stream.of(ChatMessage.builder("assistant")
                        .content(answer.getText())
                        .toolCalls(Tools.calls(answer))
                        .build());
            default ->
                Stream.of(ChatMessage.builder(message.getMessageType().getValue())
                        .content(message.getText())
                        .build());
        };
    }

    /** Returns the options of a request over those of a model. */
    static GenerationOptions options(ChatOptions requested, GenerationOptions defaults) {
        GenerationOptions.Builder options = defaults.toBuilder();
        set(requested.getMaxTokens(), options::maxTokens);
        set(requested.getTemperature(), options::temperature);
        set(requested.getTopK(), options::topK);
        set(requested.getTopP(), options::topP);
        set(requested.getFrequencyPenalty(), options::frequencyPenalty);
        set(requested.getPresencePenalty(), options::presencePenalty);
        return options.build();
    }

    private static <T> void set(@Nullable T value, Consumer<T> option) {
        if (value != null) {
            option.accept(value);
        }
    }
}
