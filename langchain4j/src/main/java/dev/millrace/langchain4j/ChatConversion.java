package dev.millrace.langchain4j;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.ChatMessage;
import java.util.List;
import java.util.stream.Collectors;

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
            when !answer.hasToolExecutionRequests() && answer.text() != null -> ChatMessage.assistant(answer.text());
            case ToolExecutionResultMessage result -> ChatMessage.tool(result.id(), result.text());
            default -> throw new UnsupportedFeatureException("messages of type " + message.type() + " without a text");
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
        boolean isPlain = parameters.responseFormat() == null
                || parameters.responseFormat().type() == ResponseFormatType.TEXT;
        if (!isPlain) {
            throw new UnsupportedFeatureException("response formats other than text");
        }
        if (parameters.toolSpecifications() != null
                && !parameters.toolSpecifications().isEmpty()) {
            throw new UnsupportedFeatureException("tools");
        }
        GenerationOptions.Builder options = defaults.toBuilder();
        if (parameters.maxOutputTokens() != null) {
            options.maxTokens(parameters.maxOutputTokens());
        }
        if (parameters.temperature() != null) {
            options.temperature(parameters.temperature());
        }
        if (parameters.topK() != null) {
            options.topK(parameters.topK());
        }
        if (parameters.topP() != null) {
            options.topP(parameters.topP());
        }
        if (parameters.frequencyPenalty() != null) {
            options.frequencyPenalty(parameters.frequencyPenalty());
        }
        if (parameters.presencePenalty() != null) {
            options.presencePenalty(parameters.presencePenalty());
        }
        return options.build();
    }

    /** Returns the generator with the stop texts of a request. */
    static ChatGenerator stopping(ChatGenerator chats, ChatRequestParameters parameters) {
        List<String> stops = parameters.stopSequences();
        return stops == null || stops.isEmpty() ? chats : chats.stoppingAt(stops.toArray(String[]::new));
    }

    static ChatResponse response(String text, dev.millrace.session.generate.TokenUsage usage, Ending ending) {
        return ChatResponse.builder()
                .aiMessage(AiMessage.from(text))
                .tokenUsage(new TokenUsage(usage.prompt(), usage.generated()))
                .finishReason(
                        switch (ending) {
                            case STOP_TOKEN, COMPLETE, STOPPED -> FinishReason.STOP;
                            case MAX_TOKENS, CONTEXT_FULL -> FinishReason.LENGTH;
                        })
                .build();
    }
}
