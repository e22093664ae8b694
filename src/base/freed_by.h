// Owners of what C libraries hand out: std::unique_ptr<T, FreedBy<destroy>>.
#pragma once

namespace walduct {

template <auto kDestroy>
struct FreedBy {
  template <typename T>
  void operator()(T* object) const {
    kDestroy(object);
  }
};

}  // namespace walduct
