import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import latchkey.JSON;

/** Reads HTML pages as they are: the generated client would parse them as JSON. */
class PageMapper extends ObjectMapper {
  PageMapper() {
    super(JSON.getDefault().getMapper());
  }

  @Override
  public ObjectMapper copy() {
    return this;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> T readValue(String content, TypeReference<T> type) throws JsonProcessingException {
    return type.getType() == String.class ? (T) content : super.readValue(content, type);
  }
}
