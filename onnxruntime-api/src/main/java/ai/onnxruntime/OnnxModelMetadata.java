package ai.onnxruntime;

import dev.millrace.session.ModelMetadata;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The descriptive metadata of a model. */
public final class OnnxModelMetadata {
    private final ModelMetadata metadata;

    OnnxModelMetadata(ModelMetadata metadata) {
        this.metadata = metadata;
    }

    /** Creates a copy. */
    public OnnxModelMetadata(OnnxModelMetadata other) {
        this(other.metadata);
    }

    public String getProducerName() {
        return metadata.producer();
    }

    public String getGraphName() {
        return metadata.graphName();
    }

    public String getGraphDescription() {
        return metadata.graphDescription();
    }

    public String getDomain() {
        return metadata.domain();
    }

    public String getDescription() {
        return metadata.description();
    }

    public long getVersion() {
        return metadata.version();
    }

    /** Returns the custom entries, which cannot be modified. */
    public Map<String, String> getCustomMetadata() {
        return metadata.properties();
    }

    public Optional<String> getCustomMetadataValue(String key) {
        return Optional.ofNullable(metadata.properties().get(key));
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof OnnxModelMetadata other
                && getVersion() == other.getVersion()
                && getProducerName().equals(other.getProducerName())
                && getGraphName().equals(other.getGraphName())
                && getGraphDescription().equals(other.getGraphDescription())
                && getDomain().equals(other.getDomain())
                && getDescription().equals(other.getDescription())
                && getCustomMetadata().equals(other.getCustomMetadata());
    }

    @Override
    public int hashCode() {
        return Objects.hash(getProducerName(), getGraphName(), getDomain(), getVersion(), getCustomMetadata());
    }

    @Override
    public String toString() {
        return "OnnxModelMetadata{producerName='" + getProducerName() + "', graphName='" + getGraphName()
                + "', graphDescription='" + getGraphDescription() + "', domain='" + getDomain() + "', description='"
                + getDescription() + "', version=" + getVersion() + ", customMetadata=" + getCustomMetadata() + "}";
    }
}
