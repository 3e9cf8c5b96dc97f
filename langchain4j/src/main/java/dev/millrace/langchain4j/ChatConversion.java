package dev.millrace.langchain4j;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatMessage;
import dev.millrace.text.ToolCall;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Messages, options and answers of LangChain4j as the engine has them. */
final class ChatConversion {
    private ChatConversion() {}

    static List<ChatMessage> messages(List<dev.langchain4j.data.message.ChatMessage> messages) {
        return messages.stream().map(ChatConversion::message).toList();
    }

    private static ChatMessage message(dev.langchain4j.data.message.ChatMessage message) {
        return switch (message) {
            case SystemMessage system -> ChatMessage.system(system.text());
            case UserMessage user -> ChatMessage.user(text(user.contents()));
            case AiMessage answer
            when answer.hasToolExecutionRequests() ->
                ChatMessage.builder("assistant")
                        .content(answer.text())
                        .toolCalls(answer.toolExecutionRequests().stream()
                                .map(ToolConversion::called)
                                .toList())
                        .build();
            case AiMessage answer -> ChatMessage.assistant(answer.text() == null ? "" : answer.text());
            case ToolExecutionResultMessage result ->
                ChatMessage.tool(result.id(), text(result.contents())).toBuilder()
                        .name(result.toolName())
                        .build();
            default -> throw new UnsupportedFeatureException("messages of type " + message.type());
        };
    }

    private static String text(List<Content> contents) {
        return contents.stream()
                .map(content -> {
                    if (content instanceof TextContent text) {
                        return text.text();
                    }
                    throw new UnsupportedFeatureException("contents of type " + content.type());
                })
                .collect(Collectors.joining("\n"));
    }

    /** Returns the options of a request over those of a model. */
    static GenerationOptions options(ChatRequestParameters parameters, GenerationOptions defaults) {
        GenerationOptions.Builder options = defaults.toBuilder();
        set(parameters.maxOutputTokens(), options::maxTokens);
        set(parameters.temperature(), options::temperature);
        set(parameters.topK(), options::topK);
        set(parameters.topP(), options::topP);
        set(parameters.frequencyPenalty(), options::frequencyPenalty);
        set(parameters.presencePenalty(), options::presencePenalty);
        return options.build();
    }

    private static <T> void set(@Nullable T value, Consumer<T> option) {
        if (value != null) {
            option.accept(value);
        }
    }

    /** Returns the parameters of requests that say nothing. */
    static ChatRequestParameters parameters(GenerationOptions defaults, @Nullable String name) {
        return ChatRequestParameters.builder()
                .modelName(name)
                .maxOutputTokens(defaults.maxTokens())
                .temperature(defaults.temperature())
                .topK(defaults.topK() > 0 ? defaults.topK() : null)
                .topP(defaults.topP())
                .frequencyPenalty(defaults.frequencyPenalty())
                .presencePenalty(defaults.presencePenalty())
                .build();
    }

    /**
     * Returns an answer.
     *
     * @param calls the calls of tools that the answer has
     */
    static ChatResponse response(
            @Nullable String name,
            String text,
            List<ToolCall> calls,
            dev.millrace.session.generate.TokenUsage usage,
            Ending ending) {
        AiMessage.Builder message = AiMessage.builder();
        if (calls.isEmpty()) {
            message.text(text);
        } else {
            message.text(text.isBlank() ? null : text).toolExecutionRequests(ToolConversion.requests(calls));
        }
        return ChatResponse.builder()
                .aiMessage(message.build())
                .modelName(name)
                .tokenUsage(new TokenUsage(usage.prompt(), usage.generated()))
                .finishReason(calls.isEmpty() ? reason(ending) : FinishReason.TOOL_EXECUTION)
                .build();
    }

    private static FinishReason reason(Ending ending) {
        return switch (ending) {
            case STOP_TOKEN, COMPLETE, STOPPED -> FinishReason.STOP;
            case MAX_TOKENS, CONTEXT_FULL -> FinishReason.LENGTH;
        };
    }
}
