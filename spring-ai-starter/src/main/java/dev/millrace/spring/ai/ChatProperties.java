package dev.millrace.spring.ai;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of the chat model, besides the options and providers of its session, which have the same prefix. What is not set is as the
 * files of the model recommend.
 *
 * @param model Path of the folder of a language model, or its name at a hub, such as 'hf:ORG/NAME'.
 * @param maxTokens Most tokens of an answer.
 * @param temperature Temperature of the choice of tokens; 0 for the most likely one.
 * @param topK Number of the most likely tokens to choose from.
 * @param topP Probability of the most likely tokens to choose from, together.
 * @param frequencyPenalty Penalty for tokens by how often the answer has them.
 * @param presencePenalty Penalty for tokens that the answer has.
 * @param stopSequences Texts before which an answer ends.
 * @param prefixCache Caches that are kept for prompts that begin as earlier ones.
 */
@ConfigurationProperties("millrace.chat")
public record ChatProperties(
        @Nullable String model,
        @Nullable Integer maxTokens,
        @Nullable Double temperature,
        @Nullable Integer topK,
        @Nullable Double topP,
        @Nullable Double frequencyPenalty,
        @Nullable Double presencePenalty,
        @Nullable List<String> stopSequences,
        @DefaultValue("1GB") DataSize prefixCache) {
    ChatOptions chatOptions() {
        return ChatOptions.builder()
                .maxTokens(maxTokens)
                .temperature(temperature)
                .topK(topK)
                .topP(topP)
                .frequencyPenalty(frequencyPenalty)
                .presencePenalty(presencePenalty)
                .stopSequences(stopSequences)
                .build();
    }
}
