package dev.millrace.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.model.TokenCountEstimator;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.Tokenizer;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The numbers of tokens as a model counts them, without special tokens of texts. Thread-safe. */
public final class MillraceTokenCountEstimator implements TokenCountEstimator {
    private final Tokenizer tokenizer;
    private final @Nullable ChatGenerator chats;

    private MillraceTokenCountEstimator(Tokenizer tokenizer, @Nullable ChatGenerator chats) {
        this.tokenizer = tokenizer;
        this.chats = chats;
    }

    /** Creates an estimator that counts the texts of messages. */
    public static MillraceTokenCountEstimator of(Tokenizer tokenizer) {
        return new MillraceTokenCountEstimator(tokenizer, null);
    }

    /** Creates an estimator that counts messages as the template of the chat model writes them. */
    public static MillraceTokenCountEstimator of(Tokenizer tokenizer, ChatGenerator chats) {
        return new MillraceTokenCountEstimator(tokenizer, chats);
    }

    @Override
    public int estimateTokenCountInText(String text) {
        return tokenizer.tokens(text).size();
    }

    @Override
    public int estimateTokenCountInMessage(ChatMessage message) {
        return estimateTokenCountInMessages(List.of(message));
    }

    @Override
    public int estimateTokenCountInMessages(Iterable<ChatMessage> messages) {
        List<dev.millrace.text.ChatMessage> converted = ChatConversion.messages(
                StreamSupport.stream(messages.spliterator(), false).toList());
        if (chats != null) {
            return chats.tokens(converted);
        }
        return converted.stream()
                .mapToInt(message -> message.content() instanceof String text
                        ? tokenizer.tokens(text).size()
                        : 0)
                .sum();
    }
}
