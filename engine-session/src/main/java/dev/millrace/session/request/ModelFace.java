package dev.millrace.session.request;

import dev.millrace.session.ModelMetadata;
import dev.millrace.session.ValueInfo;
import java.util.List;

/**
 * The public description of a model.
 *
 * @param room the caches that may have room for later steps
 */
public record ModelFace(List<ValueInfo> inputs, List<ValueInfo> outputs, ModelMetadata metadata, CacheRoom room) {}
