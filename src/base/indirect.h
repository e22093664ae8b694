// Indirect<T>: a value that lives on the heap: copied with its owner, never null but after it was
// moved from. T may be incomplete where the owner is declared, so that a header can hold many
// structs without including what declares them; the owner's constructors, assignments and
// destructor then belong into its .cc. What C++26 calls std::indirect.
#pragma once

#include <memory>
#include <utility>

namespace walduct {

template <typename T>
class Indirect {
 public:
  Indirect() : value_(std::make_unique<T>()) {}
  Indirect(const Indirect& other) : value_(std::make_unique<T>(*other)) {}
  Indirect(Indirect&&) noexcept = default;
  ~Indirect() = default;
  Indirect& operator=(const Indirect& other) {
    if (this != &other) value_ = std::make_unique<T>(*other);
    return *this;
  }
  Indirect& operator=(Indirect&&) noexcept = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  T* get() { return value_.get(); }
  const T* get() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace walduct
