package dev.millrace.spring.ai;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if a property of Spring AI selects this engine, or if it selects none and a model is configured. */
abstract class OnModel extends SpringBootCondition {
    private final @Nullable String selector;
    private final String prefix;

    /** @param selector the property that selects the engine of such models; null if there is none */
    OnModel(@Nullable String selector, String prefix) {
        this.selector = selector;
        this.prefix = prefix;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        String selected = selector == null ? null : environment.getProperty(selector);
        ConditionMessage.Builder message = ConditionMessage.forCondition(prefix);
        if (selected != null) {
            String because = selector + " is " + selected;
            return new ConditionOutcome(selected.equals(ObservedModels.PROVIDER), message.because(because));
        }
        boolean isConfigured =
                environment.containsProperty(prefix + ".model") || environment.containsProperty(prefix + ".session");
        return new ConditionOutcome(
                isConfigured, message.because(isConfigured ? "a model is configured" : "no model is configured"));
    }

    /** Matches for embeddings. */
    static final class Embedding extends OnModel {
        Embedding() {
            super("spring.ai.model.embedding", MillraceEmbeddingAutoConfiguration.PREFIX);
        }
    }

    /** Matches for chats. */
    static final class Chat extends OnModel {
        Chat() {
            super("spring.ai.model.chat", MillraceChatAutoConfiguration.PREFIX);
        }
    }

    /** Matches for reranking, which Spring AI has no selector for. */
    static final class Rerank extends OnModel {
        Rerank() {
            super(null, MillraceRerankAutoConfiguration.PREFIX);
        }
    }
}
